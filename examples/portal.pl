#!/usr/bin/perl
# The first steps of a portal: a client of the API that OpenAPI::Client (Debian: libopenapi-client-perl) makes of the API's own document.
#
#     portal.pl http+unix://%2Frun%2Fgleaner%2Fapi.socket
#     GLEANER_TOKEN=$(cat token) portal.pl https://grid.example.org:8443
#
# It submits a campaign of three tasks, waits for its end and lists its tasks. Then it shows what an answer that has not
# changed looks like, and an error.
use strict;
use warnings;
use Mojo::UserAgent;
use OpenAPI::Client;

my ($address, $cluster) = (@ARGV, 'alpha');
die "usage: portal.pl ADDRESS [CLUSTER]\n" unless @ARGV;

my $ua = Mojo::UserAgent->new;
if (my $token = $ENV{GLEANER_TOKEN}) {
    $ua->on(start => sub { $_[1]->req->headers->authorization("Bearer $token") });
}
my $document = $ua->get("$address/openapi.json")->result->json;
my $grid     = OpenAPI::Client->new($document, base_url => $address, ua => $ua);

# The answer to a call. Errors have a message for people and a code for programs.
sub answer {
    my ($tx) = @_;
    my $json = $tx->res->json;
    return $json if $tx->res->is_success;
    die "$json->{code}: $json->{message}\n" if $json && $json->{code};
    die 'the request does not fit the document: ', $tx->res->body, "\n" if $json;
    die $tx->error->{message}, "\n";
}

# The key makes one campaign of this submission, however often it is sent.
my $campaign = answer($grid->submit_campaign({
    'Idempotency-Key' => "portal-$$-" . time,
    body              => {
        name     => 'portal',
        params   => ['one', 'two', 'three'],
        clusters => {$cluster => {exec_file => 'echo', walltime => '0:10:0'}},
    },
}));
my $id = $campaign->{id};
print "campaign $id: $campaign->{total_tasks} tasks, submitted $campaign->{submission_time}\n";

# While the campaign is as it was, the answer is a short one: 304.
my $etag = '';
until ($campaign->{state} eq 'terminated' || $campaign->{state} eq 'cancelled') {
    sleep 1;
    my $tx = $grid->get_campaign({id => $id, $etag ? ('If-None-Match' => $etag) : ()});
    next if $tx->res->code == 304;
    $campaign = answer($tx);
    $etag     = $tx->res->headers->etag;
}
print "campaign $id: $campaign->{state}, $campaign->{tasks}{done} of $campaign->{total_tasks} tasks done\n";

# Two tasks a page.
for (my $offset = 0, my $total = 1; $offset < $total; ) {
    my $page = answer($grid->list_tasks({id => $id, state => ['done', 'failed'], limit => 2, offset => $offset}));
    print "task $_->{id} ($_->{parameters}): $_->{state} on $_->{cluster_name}, exit code $_->{exit_code}\n" for @{$page->{items}};
    ($offset, $total) = ($offset + @{$page->{items}}, $page->{total});
    last unless @{$page->{items}};
}

# The JDL of an ended campaign stays as it is.
my $jdl = $grid->get_campaign_jdl({id => $id});
my $same = $grid->get_campaign_jdl({id => $id, 'If-None-Match' => $jdl->res->headers->etag});
print 'JDL of ', answer($jdl)->{name}, ', and again: ', $same->res->code, "\n";

eval { answer($grid->get_campaign({id => 999_999_999})) };
print $@;

-- Admission rules: ruby that each campaign passes when it is submitted (docs/admission-rules.md).

CREATE TABLE admission_rules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> ''),
  position integer NOT NULL,                             -- 1 runs first
  text text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (position) DEFERRABLE INITIALLY IMMEDIATE
);

-- Who may submit jobs that are not best-effort, on one cluster or (null) on all.
CREATE TABLE normal_users (
  user_name text NOT NULL CHECK (user_name <> ''),
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE,
  listed_by text NOT NULL,
  listed_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX normal_users_pair ON normal_users (user_name, coalesce(cluster_id, 0));

-- The JDL as it was submitted, where rules have changed it: the one that a repeated submission has.
ALTER TABLE campaigns ADD COLUMN submitted_jdl jsonb;

INSERT INTO admission_rules (name, position, created_by, changed_by, text) VALUES ('normal-jobs', 1, 'gleaner', 'gleaner', $rule$# Jobs that are not best-effort take resources from a cluster's own users: only those whom an
# administrator listed may submit them (gridctl user allow-normal USER [CLUSTER]).
# Test campaigns, one normal job on each cluster, are for everybody.
if jdl["test_mode"] == "false"
  jdl["clusters"].each do |name, cluster|
    next if cluster["type"] == "best-effort" || clusters[name]["normal_users"].include?(user)
    refuse "#{user} may not submit normal jobs on #{name}: write \"type\": \"best-effort\", or ask an administrator"
  end
end
$rule$);

-- Ended campaigns with failed tasks, some of which are shown until their failures are fixed.
CREATE INDEX campaigns_failed ON campaigns (id) WHERE state = 'terminated' AND failed > 0;

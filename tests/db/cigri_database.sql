-- The tables of CiGri 3.2.1 that the import reads, with the columns and types that its database has.
CREATE TYPE api AS ENUM ('oar2_5', 'g5k', 'oar3');
CREATE TYPE auth_type AS ENUM ('none', 'password', 'cert', 'jwt');
CREATE TYPE campaign_state AS ENUM ('cancelled', 'in_treatment', 'paused', 'terminated');
CREATE TYPE job_state AS ENUM (
  'to_launch', 'launching', 'submitted', 'running', 'remote_waiting', 'terminated', 'event', 'batch_waiting');
CREATE TYPE event_class AS ENUM ('cluster', 'job', 'campaign', 'notify', 'log');
CREATE TYPE event_state AS ENUM ('open', 'closed');
CREATE TYPE checkbox AS ENUM ('yes', 'no');

CREATE TABLE clusters (
  id serial PRIMARY KEY,
  name varchar(255) NOT NULL,
  api_url varchar(255) NOT NULL,
  api_auth_type auth_type NOT NULL DEFAULT 'password',
  api_username varchar(255),
  api_password varchar(255),
  api_auth_header varchar(255),
  api_chunk_size integer NOT NULL DEFAULT 100,
  ssh_host varchar(255),
  batch api NOT NULL,
  resource_unit varchar(255) DEFAULT 'resource_id',
  power integer,
  properties varchar(255),
  stress_factor float DEFAULT 0,
  enabled boolean DEFAULT true);

CREATE TABLE users_mapping (
  id serial,
  grid_login varchar(255) NOT NULL,
  cluster_login varchar(255),
  cluster_id integer,
  PRIMARY KEY (grid_login, cluster_id));

CREATE TABLE users_priority (
  id serial,
  grid_user varchar(255) NOT NULL,
  cluster_id integer NOT NULL,
  priority integer NOT NULL);

CREATE TABLE campaigns (
  id serial PRIMARY KEY,
  grid_user varchar(255) NOT NULL,
  state campaign_state NOT NULL,
  type varchar(255) NOT NULL DEFAULT 'normal',
  name varchar(255),
  submission_time timestamptz,
  completion_time timestamptz,
  nb_jobs integer,
  jdl text);

CREATE TABLE parameters (
  id bigserial PRIMARY KEY,
  campaign_id integer NOT NULL,
  name varchar(255),
  param text,
  UNIQUE (campaign_id, name));
CREATE INDEX ON parameters (campaign_id);

CREATE TABLE bag_of_tasks (
  id bigserial PRIMARY KEY,
  campaign_id integer NOT NULL,
  param_id integer NOT NULL,
  priority integer NOT NULL DEFAULT 10);
CREATE INDEX ON bag_of_tasks (campaign_id);

CREATE TABLE jobs (
  id bigserial PRIMARY KEY,
  campaign_id integer NOT NULL,
  param_id integer NOT NULL,
  cluster_id integer,
  state job_state NOT NULL,
  return_code integer,
  remote_id bigint,
  tag varchar(255));
CREATE INDEX ON jobs (campaign_id);
CREATE INDEX ON jobs (param_id);

CREATE TABLE events (
  id bigserial PRIMARY KEY,
  class event_class NOT NULL,
  code varchar(32) NOT NULL,
  state event_state NOT NULL,
  job_id integer,
  cluster_id integer,
  campaign_id integer,
  parent integer,
  checked checkbox NOT NULL DEFAULT 'no',
  notified boolean NOT NULL DEFAULT false,
  date_open timestamptz,
  date_closed timestamptz,
  date_update timestamptz,
  message text);
CREATE INDEX ON events (job_id);
CREATE INDEX ON events (campaign_id);

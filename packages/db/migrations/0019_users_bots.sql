-- minimum: 0009
drop index concurrently if exists "users_bots";--> statement-breakpoint
create index concurrently "users_bots" on "users" using btree ("realm_id","id") where bot_type is not null;

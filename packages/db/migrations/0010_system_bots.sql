-- minimum: 0009
drop index concurrently if exists "users_system_bots";--> statement-breakpoint
create index concurrently "users_system_bots" on "users" using btree ("realm_id") where is_system_bot;

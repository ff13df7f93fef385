-- minimum: 0009
drop index concurrently if exists "topics_search";--> statement-breakpoint
create index concurrently "topics_search" on "topics" using gin (to_tsvector('english', name));--> statement-breakpoint
drop index concurrently if exists "topics_name_key";--> statement-breakpoint
create index concurrently "topics_name_key" on "topics" using btree ("realm_id","name_key");

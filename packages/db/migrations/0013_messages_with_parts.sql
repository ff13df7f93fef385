-- minimum: 0009
drop index concurrently if exists "messages_link";--> statement-breakpoint
create index concurrently "messages_link" on "messages" using btree ("realm_id","id") where has_link;--> statement-breakpoint
drop index concurrently if exists "messages_image";--> statement-breakpoint
create index concurrently "messages_image" on "messages" using btree ("realm_id","id") where has_image;--> statement-breakpoint
drop index concurrently if exists "messages_attachment";--> statement-breakpoint
create index concurrently "messages_attachment" on "messages" using btree ("realm_id","id") where has_attachment;

-- minimum: 0009
-- Without it PostgreSQL takes the messages that it finds in a sample of reactions for the only ones that have any: where a few messages have
-- most of the reactions, it expects thousands of each message, and reads the whole table for each message of a page.
ALTER TABLE "reactions" ALTER COLUMN "message_id" SET (n_distinct = -0.2);--> statement-breakpoint
ANALYZE "reactions" ("message_id");

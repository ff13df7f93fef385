-- minimum: 0009
-- Without it PostgreSQL takes the streams and topics that it finds in a sample of messages for the only ones. For a page of a quiet stream
-- it would then walk through the messages of all others in the order of the primary key, expecting one of the stream soon. With it, the
-- planner expects a hundredth and a twentieth as many conversations and topics as messages, unless a value is one of the common ones.
ALTER TABLE "messages" ALTER COLUMN "conversation_id" SET (n_distinct = -0.01), ALTER COLUMN "topic_id" SET (n_distinct = -0.05);--> statement-breakpoint
ANALYZE "messages" ("conversation_id", "topic_id");

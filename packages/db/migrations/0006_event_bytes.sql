ALTER TABLE "drafts" ADD COLUMN "bytes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "event_queues" ADD COLUMN "scanned" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "bytes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD COLUMN "bytes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "drafts" SET "bytes" = octet_length(to_json("content")::text) + octet_length(to_json("topic")::text) + 20 * cardinality("to") + 120;--> statement-breakpoint
UPDATE "scheduled_messages" SET "bytes" = octet_length(to_json("content")::text) + octet_length(to_json("rendered_content")::text) + coalesce(octet_length(to_json("topic")::text), 0) + 20 * coalesce(cardinality("to_user_ids"), 0) + 250 WHERE "sent_at" is null;

-- minimum: 0008
CREATE TABLE "tokens" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"stream_id" bigint,
	"event_types" text[],
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "tokens_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
ALTER TABLE "event_queues" ADD COLUMN "token_id" bigint;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_realm_id_stream_id_streams_realm_id_id_fk" FOREIGN KEY ("realm_id","stream_id") REFERENCES "public"."streams"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_hash" ON "tokens" USING btree ("realm_id","hash");--> statement-breakpoint
CREATE INDEX "tokens_user" ON "tokens" USING btree ("realm_id","user_id");--> statement-breakpoint
ALTER TABLE "event_queues" ADD CONSTRAINT "event_queues_realm_id_token_id_tokens_realm_id_id_fk" FOREIGN KEY ("realm_id","token_id") REFERENCES "public"."tokens"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "event_queues_token" ON "event_queues" USING btree ("realm_id","token_id") WHERE token_id is not null;
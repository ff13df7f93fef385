-- minimum: 0007
CREATE TABLE "bot_storage" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"bytes" integer NOT NULL,
	CONSTRAINT "bot_storage_realm_id_user_id_key_pk" PRIMARY KEY("realm_id","user_id","key")
);
--> statement-breakpoint
CREATE TABLE "server_start" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"started_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "event_queues" ADD COLUMN "starts_after" bigint;--> statement-breakpoint
ALTER TABLE "profile_fields" ADD COLUMN "display_in_profile_summary" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "bot_storage" ADD CONSTRAINT "bot_storage_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;
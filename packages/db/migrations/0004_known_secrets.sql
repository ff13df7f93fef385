CREATE TABLE "known_secrets" (
	"fingerprint" text PRIMARY KEY NOT NULL,
	"known_since" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "realms" ADD COLUMN "key_salt" text DEFAULT gen_random_uuid()::text NOT NULL;
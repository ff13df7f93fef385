CREATE TABLE "login_networks" (
	"realm_id" bigint NOT NULL,
	"username_hash" text NOT NULL,
	"network_hash" text NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "login_networks_realm_id_username_hash_network_hash_pk" PRIMARY KEY("realm_id","username_hash","network_hash")
);
--> statement-breakpoint
ALTER TABLE "streams" ADD COLUMN "email_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "login_networks" ADD CONSTRAINT "login_networks_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;
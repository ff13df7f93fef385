-- minimum: 0009
CREATE TABLE "applications" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "applications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"redirect_uris" text[] NOT NULL,
	"scopes" text[] NOT NULL,
	"secret_hash" text,
	"creator_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "applications_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "authorization_codes" (
	"realm_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"application_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"scopes" text[] NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"is_used" boolean DEFAULT false NOT NULL,
	"token_id" bigint,
	CONSTRAINT "authorization_codes_realm_id_hash_pk" PRIMARY KEY("realm_id","hash")
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"realm_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"family_hash" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "refresh_tokens_realm_id_token_id_pk" PRIMARY KEY("realm_id","token_id")
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "application_id" bigint;--> statement-breakpoint
ALTER TABLE "applications" ADD CONSTRAINT "applications_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "applications" ADD CONSTRAINT "applications_realm_id_creator_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","creator_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_application_fk" FOREIGN KEY ("realm_id","application_id") REFERENCES "public"."applications"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_realm_id_token_id_tokens_realm_id_id_fk" FOREIGN KEY ("realm_id","token_id") REFERENCES "public"."tokens"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_realm_id_token_id_tokens_realm_id_id_fk" FOREIGN KEY ("realm_id","token_id") REFERENCES "public"."tokens"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "authorization_codes_application" ON "authorization_codes" USING btree ("realm_id","application_id");--> statement-breakpoint
CREATE INDEX "authorization_codes_user" ON "authorization_codes" USING btree ("realm_id","user_id");--> statement-breakpoint
CREATE INDEX "authorization_codes_token" ON "authorization_codes" USING btree ("realm_id","token_id");--> statement-breakpoint
CREATE INDEX "authorization_codes_expires_at" ON "authorization_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "refresh_tokens_family" ON "refresh_tokens" USING btree ("realm_id","family_hash");--> statement-breakpoint
CREATE INDEX "refresh_tokens_expires_at" ON "refresh_tokens" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_realm_id_application_id_applications_realm_id_id_fk" FOREIGN KEY ("realm_id","application_id") REFERENCES "public"."applications"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tokens_application" ON "tokens" USING btree ("realm_id","application_id") WHERE application_id is not null;
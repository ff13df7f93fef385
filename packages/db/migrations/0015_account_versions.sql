-- minimum: 0009
CREATE TABLE "account_versions" (
	"realm_id" bigint PRIMARY KEY NOT NULL,
	"version" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "account_versions" ADD CONSTRAINT "account_versions_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE FUNCTION "renew_account_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Once in a transaction, however many accounts it changes.
	INSERT INTO "public"."account_versions" AS known ("realm_id", "version") VALUES (NEW."realm_id", gen_random_uuid())
		ON CONFLICT ("realm_id") DO UPDATE SET "version" = EXCLUDED."version" WHERE known.xmin <> pg_current_xact_id()::xid;
	RETURN NULL;
END $$;--> statement-breakpoint
-- At the commit: it is the last lock that a transaction takes, so it takes part in no deadlock.
CREATE CONSTRAINT TRIGGER "users_account_version" AFTER UPDATE OF "role", "is_active", "key_version" ON "users" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (OLD."role" <> NEW."role" OR OLD."is_active" <> NEW."is_active" OR OLD."key_version" <> NEW."key_version")
	EXECUTE FUNCTION "renew_account_version"();

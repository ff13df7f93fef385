-- minimum: 0009
CREATE TABLE "caller_version" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" uuid NOT NULL
);
--> statement-breakpoint
-- Processes hold this lock together while they trust what they remember of organizations and accounts. A transaction that changes one of
-- them takes it alone, until its commit, so that no process trusts what has ended.
CREATE FUNCTION "change_callers"() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '1s' AS $$
BEGIN
	-- Once in a transaction, however many rows it changes.
	IF EXISTS (SELECT FROM "public"."caller_version" WHERE xmin = pg_current_xact_id()::xid) THEN
		RETURN;
	END IF;
	BEGIN
		PERFORM pg_advisory_xact_lock(7205763);
	EXCEPTION WHEN lock_not_available THEN
		-- A process that is suspended, or cut off: it trusts nothing any more, by its own clock.
		PERFORM pg_terminate_backend(l.pid) FROM pg_locks l
			WHERE l.locktype = 'advisory' AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
				AND l.classid = 0 AND l.objid = 7205763 AND l.objsubid = 1 AND l.mode = 'ShareLock' AND l.granted;
		PERFORM pg_advisory_xact_lock(7205763);
	END;
	INSERT INTO "public"."caller_version" ("version") VALUES (gen_random_uuid())
		ON CONFLICT ("only") DO UPDATE SET "version" = EXCLUDED."version";
END $$;--> statement-breakpoint
CREATE FUNCTION "renew_caller_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "public"."change_callers"();
	RETURN NULL;
END $$;--> statement-breakpoint
-- Before the row of its organization: all transactions take these two locks in the same order, at their commit.
CREATE OR REPLACE FUNCTION "renew_account_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "public"."change_callers"();
	-- Once in a transaction, however many accounts it changes.
	INSERT INTO "public"."account_versions" AS known ("realm_id", "version") VALUES (NEW."realm_id", gen_random_uuid())
		ON CONFLICT ("realm_id") DO UPDATE SET "version" = EXCLUDED."version" WHERE known.xmin <> pg_current_xact_id()::xid;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "realms_caller_version" AFTER UPDATE OR DELETE ON "realms" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION "renew_caller_version"();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "realm_settings_caller_version" AFTER UPDATE OR DELETE ON "realm_settings" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION "renew_caller_version"();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "users_caller_version" AFTER UPDATE OR DELETE ON "users" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION "renew_caller_version"();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "linkifiers_caller_version" AFTER INSERT OR UPDATE OR DELETE ON "linkifiers" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION "renew_caller_version"();

-- minimum: 0009
ALTER TABLE "topics" ADD COLUMN "renamed_up_to" bigint;--> statement-breakpoint
CREATE FUNCTION "set_renamed_up_to"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "public"."topics" SET "renamed_up_to" = greatest("renamed_up_to", NEW."up_to")
		WHERE "realm_id" = NEW."realm_id" AND "id" = NEW."from_topic_id";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "topic_moves_renamed_up_to" AFTER INSERT ON "topic_moves" FOR EACH ROW WHEN (NEW."up_to" IS NOT NULL)
	EXECUTE FUNCTION "set_renamed_up_to"();--> statement-breakpoint
UPDATE "topics" t SET "renamed_up_to" = renamed."up_to"
	FROM (SELECT "realm_id", "from_topic_id", max("up_to") AS "up_to" FROM "topic_moves" WHERE "up_to" IS NOT NULL GROUP BY 1, 2) renamed
	WHERE t."realm_id" = renamed."realm_id" AND t."id" = renamed."from_topic_id";

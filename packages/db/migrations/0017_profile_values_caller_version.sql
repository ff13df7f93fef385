-- minimum: 0009
-- Processes remember these values with the accounts that they belong to.
CREATE CONSTRAINT TRIGGER "profile_values_caller_version" AFTER INSERT OR UPDATE OR DELETE ON "profile_values" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION "renew_caller_version"();

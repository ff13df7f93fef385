CREATE TABLE "database_epoch" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" text NOT NULL,
	"identity" jsonb NOT NULL,
	"written_by" text NOT NULL,
	"raised_at" timestamp with time zone NOT NULL,
	"reason" text
);

-- Parley's tables. realm_id comes first in every key, so no row can point into another organization.
CREATE TABLE "alert_words" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"word_key" text NOT NULL,
	"word" text NOT NULL,
	"first_piece" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "alert_words_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	CONSTRAINT "alert_words_realm_id_user_id_word_key_pk" PRIMARY KEY("realm_id","user_id","word_key")
);
--> statement-breakpoint
CREATE TABLE "avatars" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"image" "bytea" NOT NULL,
	"medium" "bytea" NOT NULL,
	CONSTRAINT "avatars_realm_id_user_id_pk" PRIMARY KEY("realm_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "conversations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"last_seq" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "conversations_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "direct_conversations" (
	"realm_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"member_key" text NOT NULL,
	CONSTRAINT "direct_conversations_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "drafts" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "drafts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"type" text NOT NULL,
	"to" bigint[] NOT NULL,
	"topic" text NOT NULL,
	"content" text NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "drafts_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_changes" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"new_email" text NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "email_changes_realm_id_user_id_pk" PRIMARY KEY("realm_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "custom_emoji" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "custom_emoji_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"author_id" bigint NOT NULL,
	"deactivated" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"image" "bytea" NOT NULL,
	"image_type" text NOT NULL,
	"still" "bytea",
	CONSTRAINT "custom_emoji_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "event_queues" (
	"realm_id" bigint NOT NULL,
	"id" text NOT NULL,
	"user_id" bigint NOT NULL,
	"event_types" text[],
	"narrow" jsonb NOT NULL,
	"all_public_streams" boolean NOT NULL,
	"apply_markdown" boolean NOT NULL,
	"client_gravatar" boolean NOT NULL,
	"slim_presence" boolean NOT NULL,
	"acknowledged" bigint NOT NULL,
	"lifespan_secs" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"poller" text,
	CONSTRAINT "event_queues_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"realm_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"type" text NOT NULL,
	"payload" jsonb NOT NULL,
	"audience" jsonb NOT NULL,
	"message_ids" bigint[],
	"seqs" integer[],
	"created_at" timestamp with time zone NOT NULL,
	"topic_id" bigint,
	"left_id" bigint,
	CONSTRAINT "events_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "realm_clock" (
	"realm_id" bigint PRIMARY KEY NOT NULL,
	"last_event_id" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_flags" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"message_id" bigint NOT NULL,
	"starred" boolean DEFAULT false NOT NULL,
	"collapsed" boolean DEFAULT false NOT NULL,
	"mentioned" boolean DEFAULT false NOT NULL,
	"has_alert_word" boolean DEFAULT false NOT NULL,
	CONSTRAINT "message_flags_realm_id_user_id_message_id_pk" PRIMARY KEY("realm_id","user_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "quiet_marks" (
	"realm_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"chunk" integer NOT NULL,
	"quiet" "int4multirange" NOT NULL,
	CONSTRAINT "quiet_marks_realm_id_conversation_id_chunk_pk" PRIMARY KEY("realm_id","conversation_id","chunk")
);
--> statement-breakpoint
CREATE TABLE "read_marks" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"chunk" integer NOT NULL,
	"read" "int4multirange" NOT NULL,
	"reopened" "int4multirange" DEFAULT '{}' NOT NULL,
	CONSTRAINT "read_marks_realm_id_user_id_conversation_id_chunk_pk" PRIMARY KEY("realm_id","user_id","conversation_id","chunk")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"begun_at" timestamp with time zone NOT NULL,
	"answer" text,
	CONSTRAINT "idempotency_keys_realm_id_user_id_key_pk" PRIMARY KEY("realm_id","user_id","key")
);
--> statement-breakpoint
CREATE TABLE "letters" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "letters_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "letters_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "linkifiers" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "linkifiers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"pattern" text NOT NULL,
	"url_template" text NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "linkifiers_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "message_edits" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "message_edits_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"edited_at" timestamp with time zone NOT NULL,
	"prev_content" text NOT NULL,
	"prev_rendered_content" text NOT NULL,
	"move_id" bigint,
	CONSTRAINT "message_edits_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"conversation_id" bigint NOT NULL,
	"seq" integer NOT NULL,
	"topic_id" bigint,
	"sender_id" bigint NOT NULL,
	"content" text NOT NULL,
	"rendered_content" text NOT NULL,
	"client" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	"last_edit_at" timestamp with time zone,
	"is_me_message" boolean NOT NULL,
	"has_link" boolean NOT NULL,
	"has_image" boolean NOT NULL,
	"has_attachment" boolean NOT NULL,
	"stream_wildcard" boolean NOT NULL,
	"topic_wildcard_user_ids" bigint[],
	"moves" bigint[] DEFAULT '{}' NOT NULL,
	"search" "tsvector" GENERATED ALWAYS AS (to_tsvector('english', content)) STORED,
	CONSTRAINT "messages_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "muted_users" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"muted_user_id" bigint NOT NULL,
	"muted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "muted_users_realm_id_user_id_muted_user_id_pk" PRIMARY KEY("realm_id","user_id","muted_user_id")
);
--> statement-breakpoint
CREATE TABLE "playgrounds" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "playgrounds_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"pygments_language" text NOT NULL,
	"url_template" text NOT NULL,
	CONSTRAINT "playgrounds_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "user_presence" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"status" text NOT NULL,
	"last_active_at" timestamp with time zone,
	"last_connected_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_presence_realm_id_user_id_pk" PRIMARY KEY("realm_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "profile_fields" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "profile_fields_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"field_type" integer NOT NULL,
	"hint" text NOT NULL,
	"field_data" text NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "profile_fields_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "profile_values" (
	"realm_id" bigint NOT NULL,
	"field_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"value" text NOT NULL,
	"rendered_value" text,
	CONSTRAINT "profile_values_realm_id_user_id_field_id_pk" PRIMARY KEY("realm_id","user_id","field_id")
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer NOT NULL,
	"expire" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "reactions" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "reactions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"reaction_type" text NOT NULL,
	"emoji_code" text NOT NULL,
	"emoji_name" text NOT NULL,
	"topic_id" bigint,
	CONSTRAINT "reactions_realm_id_message_id_user_id_reaction_type_emoji_code_pk" PRIMARY KEY("realm_id","message_id","user_id","reaction_type","emoji_code")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor_id" bigint,
	"action" text NOT NULL,
	"details" jsonb NOT NULL,
	CONSTRAINT "audit_log_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "realm_settings" (
	"realm_id" bigint PRIMARY KEY NOT NULL,
	"overrides" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "realm_user_settings_defaults" (
	"realm_id" bigint PRIMARY KEY NOT NULL,
	"overrides" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "realms" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "realms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subdomain" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"deactivated_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "scheduled_messages" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "scheduled_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"type" text NOT NULL,
	"stream_id" bigint,
	"to_user_ids" bigint[],
	"topic" text,
	"content" text NOT NULL,
	"rendered_content" text NOT NULL,
	"read_by_sender" boolean NOT NULL,
	"client" text NOT NULL,
	"deliver_at" timestamp with time zone NOT NULL,
	"attempt_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	"failure_message" text,
	CONSTRAINT "scheduled_messages_realm_id_id_pk" PRIMARY KEY("realm_id","id"),
	CONSTRAINT "scheduled_messages_to" CHECK (case type when 'stream' then stream_id is not null and topic is not null and to_user_ids is null
          else stream_id is null and topic is null and to_user_ids is not null end)
);
--> statement-breakpoint
CREATE TABLE "sign_ins" (
	"realm_id" bigint NOT NULL,
	"state_hash" text NOT NULL,
	"browser_hash" text NOT NULL,
	"provider" text NOT NULL,
	"remembered" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sign_ins_realm_id_state_hash_pk" PRIMARY KEY("realm_id","state_hash")
);
--> statement-breakpoint
CREATE TABLE "user_status" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"status_text" text DEFAULT '' NOT NULL,
	"emoji_name" text DEFAULT '' NOT NULL,
	"emoji_code" text DEFAULT '' NOT NULL,
	"reaction_type" text DEFAULT 'unicode_emoji' NOT NULL,
	CONSTRAINT "user_status_realm_id_user_id_pk" PRIMARY KEY("realm_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "streams" (
	"realm_id" bigint NOT NULL,
	"id" bigint NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"description" text NOT NULL,
	"rendered_description" text NOT NULL,
	"invite_only" boolean NOT NULL,
	"is_web_public" boolean NOT NULL,
	"history_public_to_subscribers" boolean NOT NULL,
	"is_default" boolean NOT NULL,
	"stream_post_policy" integer NOT NULL,
	"message_retention_days" integer,
	"can_remove_subscribers_group" bigint NOT NULL,
	"creator_id" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"first_message_id" bigint,
	"archived_at" timestamp with time zone,
	CONSTRAINT "streams_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"realm_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"active" boolean NOT NULL,
	"received" "int4multirange" NOT NULL,
	"color" text,
	"is_muted" boolean DEFAULT false NOT NULL,
	"pin_to_top" boolean DEFAULT false NOT NULL,
	"desktop_notifications" boolean,
	"audible_notifications" boolean,
	"push_notifications" boolean,
	"email_notifications" boolean,
	"wildcard_mentions_notify" boolean,
	CONSTRAINT "memberships_realm_id_conversation_id_user_id_pk" PRIMARY KEY("realm_id","conversation_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "topic_moves" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "topic_moves_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"moved_at" timestamp with time zone NOT NULL,
	"from_stream_id" bigint NOT NULL,
	"to_stream_id" bigint NOT NULL,
	"from_topic_id" bigint NOT NULL,
	"to_topic_id" bigint NOT NULL,
	"from_topic" text NOT NULL,
	"to_topic" text NOT NULL,
	"up_to" bigint,
	CONSTRAINT "topic_moves_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "topics" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "topics_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"conversation_id" bigint NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	CONSTRAINT "topics_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "user_topics" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"topic_id" bigint NOT NULL,
	"visibility_policy" integer NOT NULL,
	"last_updated" timestamp with time zone NOT NULL,
	CONSTRAINT "user_topics_realm_id_user_id_topic_id_pk" PRIMARY KEY("realm_id","user_id","topic_id")
);
--> statement-breakpoint
CREATE TABLE "message_uploads" (
	"realm_id" bigint NOT NULL,
	"message_id" bigint NOT NULL,
	"upload_id" bigint NOT NULL,
	CONSTRAINT "message_uploads_realm_id_message_id_upload_id_pk" PRIMARY KEY("realm_id","message_id","upload_id")
);
--> statement-breakpoint
CREATE TABLE "scheduled_message_uploads" (
	"realm_id" bigint NOT NULL,
	"scheduled_message_id" bigint NOT NULL,
	"upload_id" bigint NOT NULL,
	CONSTRAINT "scheduled_message_uploads_realm_id_scheduled_message_id_upload_id_pk" PRIMARY KEY("realm_id","scheduled_message_id","upload_id")
);
--> statement-breakpoint
CREATE TABLE "upload_pieces" (
	"realm_id" bigint NOT NULL,
	"upload_id" bigint NOT NULL,
	"starts_at" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "upload_pieces_realm_id_upload_id_starts_at_pk" PRIMARY KEY("realm_id","upload_id","starts_at")
);
--> statement-breakpoint
CREATE TABLE "upload_space" (
	"realm_id" bigint PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "uploads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"size" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"unlinked_since" timestamp with time zone,
	CONSTRAINT "uploads_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "user_group_members" (
	"realm_id" bigint NOT NULL,
	"group_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "user_group_members_realm_id_group_id_user_id_pk" PRIMARY KEY("realm_id","group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "user_group_subgroups" (
	"realm_id" bigint NOT NULL,
	"group_id" bigint NOT NULL,
	"subgroup_id" bigint NOT NULL,
	CONSTRAINT "user_group_subgroups_realm_id_group_id_subgroup_id_pk" PRIMARY KEY("realm_id","group_id","subgroup_id")
);
--> statement-breakpoint
CREATE TABLE "user_groups" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "user_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"description" text NOT NULL,
	"is_system_group" boolean NOT NULL,
	"can_mention_group" bigint,
	CONSTRAINT "user_groups_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
CREATE TABLE "user_settings" (
	"realm_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"overrides" jsonb NOT NULL,
	CONSTRAINT "user_settings_realm_id_user_id_pk" PRIMARY KEY("realm_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"realm_id" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"delivery_email" text NOT NULL,
	"email_key" text NOT NULL,
	"full_name" text NOT NULL,
	"role" integer NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"is_billing_admin" boolean DEFAULT false NOT NULL,
	"can_create_users" boolean DEFAULT false NOT NULL,
	"is_system_bot" boolean DEFAULT false NOT NULL,
	"bot_type" integer,
	"bot_owner_id" bigint,
	"password_hash" text,
	"key_version" integer DEFAULT 1 NOT NULL,
	"avatar_version" integer DEFAULT 1 NOT NULL,
	"avatar_key" text,
	"timezone" text DEFAULT '' NOT NULL,
	"email_address_visibility" integer DEFAULT 1 NOT NULL,
	"date_joined" timestamp with time zone NOT NULL,
	CONSTRAINT "users_realm_id_id_pk" PRIMARY KEY("realm_id","id")
);
--> statement-breakpoint
ALTER TABLE "alert_words" ADD CONSTRAINT "alert_words_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "avatars" ADD CONSTRAINT "avatars_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "direct_conversations" ADD CONSTRAINT "direct_conversations_realm_id_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_emoji" ADD CONSTRAINT "custom_emoji_realm_id_author_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","author_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_queues" ADD CONSTRAINT "event_queues_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "realm_clock" ADD CONSTRAINT "realm_clock_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_flags" ADD CONSTRAINT "message_flags_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_flags" ADD CONSTRAINT "message_flags_realm_id_message_id_messages_realm_id_id_fk" FOREIGN KEY ("realm_id","message_id") REFERENCES "public"."messages"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiet_marks" ADD CONSTRAINT "quiet_marks_realm_id_conversation_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","conversation_id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "read_marks" ADD CONSTRAINT "read_marks_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "read_marks" ADD CONSTRAINT "read_marks_realm_id_conversation_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","conversation_id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "letters" ADD CONSTRAINT "letters_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "linkifiers" ADD CONSTRAINT "linkifiers_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_edits" ADD CONSTRAINT "message_edits_realm_id_message_id_messages_realm_id_id_fk" FOREIGN KEY ("realm_id","message_id") REFERENCES "public"."messages"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_edits" ADD CONSTRAINT "message_edits_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_realm_id_conversation_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","conversation_id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_realm_id_topic_id_topics_realm_id_id_fk" FOREIGN KEY ("realm_id","topic_id") REFERENCES "public"."topics"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_realm_id_sender_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","sender_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_realm_id_muted_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","muted_user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "playgrounds" ADD CONSTRAINT "playgrounds_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_presence" ADD CONSTRAINT "user_presence_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "profile_fields" ADD CONSTRAINT "profile_fields_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "profile_values" ADD CONSTRAINT "profile_values_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "profile_values" ADD CONSTRAINT "profile_values_realm_id_field_id_profile_fields_realm_id_id_fk" FOREIGN KEY ("realm_id","field_id") REFERENCES "public"."profile_fields"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_realm_id_message_id_messages_realm_id_id_fk" FOREIGN KEY ("realm_id","message_id") REFERENCES "public"."messages"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_realm_id_topic_id_topics_realm_id_id_fk" FOREIGN KEY ("realm_id","topic_id") REFERENCES "public"."topics"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "realm_settings" ADD CONSTRAINT "realm_settings_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "realm_user_settings_defaults" ADD CONSTRAINT "realm_user_settings_defaults_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_realm_id_stream_id_streams_realm_id_id_fk" FOREIGN KEY ("realm_id","stream_id") REFERENCES "public"."streams"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_ins" ADD CONSTRAINT "sign_ins_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_status" ADD CONSTRAINT "user_status_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "streams" ADD CONSTRAINT "streams_realm_id_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "streams" ADD CONSTRAINT "streams_realm_id_can_remove_subscribers_group_user_groups_realm_id_id_fk" FOREIGN KEY ("realm_id","can_remove_subscribers_group") REFERENCES "public"."user_groups"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "streams" ADD CONSTRAINT "streams_realm_id_creator_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","creator_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_realm_id_conversation_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","conversation_id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "topic_moves" ADD CONSTRAINT "topic_moves_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "topics" ADD CONSTRAINT "topics_realm_id_conversation_id_conversations_realm_id_id_fk" FOREIGN KEY ("realm_id","conversation_id") REFERENCES "public"."conversations"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_realm_id_topic_id_topics_realm_id_id_fk" FOREIGN KEY ("realm_id","topic_id") REFERENCES "public"."topics"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_uploads" ADD CONSTRAINT "message_uploads_realm_id_message_id_messages_realm_id_id_fk" FOREIGN KEY ("realm_id","message_id") REFERENCES "public"."messages"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_uploads" ADD CONSTRAINT "message_uploads_realm_id_upload_id_uploads_realm_id_id_fk" FOREIGN KEY ("realm_id","upload_id") REFERENCES "public"."uploads"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scheduled_message_uploads" ADD CONSTRAINT "scheduled_message_uploads_realm_id_scheduled_message_id_scheduled_messages_realm_id_id_fk" FOREIGN KEY ("realm_id","scheduled_message_id") REFERENCES "public"."scheduled_messages"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scheduled_message_uploads" ADD CONSTRAINT "scheduled_message_uploads_realm_id_upload_id_uploads_realm_id_id_fk" FOREIGN KEY ("realm_id","upload_id") REFERENCES "public"."uploads"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_pieces" ADD CONSTRAINT "upload_pieces_realm_id_upload_id_uploads_realm_id_id_fk" FOREIGN KEY ("realm_id","upload_id") REFERENCES "public"."uploads"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_space" ADD CONSTRAINT "upload_space_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_realm_id_group_id_user_groups_realm_id_id_fk" FOREIGN KEY ("realm_id","group_id") REFERENCES "public"."user_groups"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_subgroups" ADD CONSTRAINT "user_group_subgroups_realm_id_group_id_user_groups_realm_id_id_fk" FOREIGN KEY ("realm_id","group_id") REFERENCES "public"."user_groups"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_subgroups" ADD CONSTRAINT "user_group_subgroups_realm_id_subgroup_id_user_groups_realm_id_id_fk" FOREIGN KEY ("realm_id","subgroup_id") REFERENCES "public"."user_groups"("realm_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_realm_id_can_mention_group_user_groups_realm_id_id_fk" FOREIGN KEY ("realm_id","can_mention_group") REFERENCES "public"."user_groups"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_settings" ADD CONSTRAINT "user_settings_realm_id_user_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","user_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_realm_id_realms_id_fk" FOREIGN KEY ("realm_id") REFERENCES "public"."realms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_realm_id_bot_owner_id_users_realm_id_id_fk" FOREIGN KEY ("realm_id","bot_owner_id") REFERENCES "public"."users"("realm_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_words_piece" ON "alert_words" USING btree ("realm_id","first_piece","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "avatars_key" ON "avatars" USING btree ("realm_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "direct_conversations_members" ON "direct_conversations" USING btree ("realm_id","member_key");--> statement-breakpoint
CREATE INDEX "drafts_of" ON "drafts" USING btree ("realm_id","user_id","changed_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "email_changes_token" ON "email_changes" USING btree ("realm_id","token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "custom_emoji_name" ON "custom_emoji" USING btree ("realm_id","name") WHERE not deactivated;--> statement-breakpoint
CREATE INDEX "event_queues_user" ON "event_queues" USING btree ("realm_id","user_id");--> statement-breakpoint
CREATE INDEX "events_topic" ON "events" USING btree ("realm_id","topic_id") WHERE topic_id is not null;--> statement-breakpoint
CREATE INDEX "events_left" ON "events" USING btree ("realm_id","left_id","id") WHERE left_id is not null;--> statement-breakpoint
CREATE INDEX "message_flags_message" ON "message_flags" USING btree ("realm_id","message_id");--> statement-breakpoint
CREATE INDEX "message_flags_starred" ON "message_flags" USING btree ("realm_id","user_id","message_id") WHERE starred;--> statement-breakpoint
CREATE INDEX "message_flags_mentioned" ON "message_flags" USING btree ("realm_id","user_id","message_id") WHERE mentioned;--> statement-breakpoint
CREATE INDEX "message_flags_alerted" ON "message_flags" USING btree ("realm_id","user_id","message_id") WHERE has_alert_word;--> statement-breakpoint
CREATE INDEX "idempotency_keys_begun" ON "idempotency_keys" USING btree ("begun_at");--> statement-breakpoint
CREATE INDEX "letters_due" ON "letters" USING btree ("due_at");--> statement-breakpoint
CREATE UNIQUE INDEX "linkifiers_pattern" ON "linkifiers" USING btree ("realm_id","pattern");--> statement-breakpoint
CREATE INDEX "message_edits_message" ON "message_edits" USING btree ("realm_id","message_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_seq" ON "messages" USING btree ("realm_id","conversation_id","seq");--> statement-breakpoint
CREATE INDEX "messages_conversation" ON "messages" USING btree ("realm_id","conversation_id","id");--> statement-breakpoint
CREATE INDEX "messages_topic" ON "messages" USING btree ("realm_id","topic_id","id");--> statement-breakpoint
CREATE INDEX "messages_topic_senders" ON "messages" USING btree ("realm_id","topic_id","sender_id");--> statement-breakpoint
CREATE INDEX "messages_sender" ON "messages" USING btree ("realm_id","sender_id","id");--> statement-breakpoint
CREATE INDEX "messages_wildcard" ON "messages" USING btree ("realm_id","id") WHERE stream_wildcard or topic_wildcard_user_ids is not null;--> statement-breakpoint
CREATE INDEX "messages_search" ON "messages" USING gin ("search");--> statement-breakpoint
CREATE UNIQUE INDEX "playgrounds_name" ON "playgrounds" USING btree ("realm_id","pygments_language","name");--> statement-breakpoint
CREATE UNIQUE INDEX "profile_fields_name" ON "profile_fields" USING btree ("realm_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "profile_values_of_field" ON "profile_values" USING btree ("realm_id","field_id","user_id");--> statement-breakpoint
CREATE INDEX "reactions_topic" ON "reactions" USING btree ("realm_id","topic_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "realms_subdomain" ON "realms" USING btree ("subdomain");--> statement-breakpoint
CREATE INDEX "scheduled_messages_of" ON "scheduled_messages" USING btree ("realm_id","user_id","attempt_at","id") WHERE sent_at is null;--> statement-breakpoint
CREATE INDEX "scheduled_messages_due" ON "scheduled_messages" USING btree ("attempt_at","id") WHERE sent_at is null and failure_message is null;--> statement-breakpoint
CREATE UNIQUE INDEX "streams_name" ON "streams" USING btree ("realm_id","name_key") WHERE archived_at is null;--> statement-breakpoint
CREATE INDEX "memberships_user" ON "memberships" USING btree ("realm_id","user_id","conversation_id");--> statement-breakpoint
CREATE INDEX "memberships_active" ON "memberships" USING btree ("realm_id","conversation_id","user_id") WHERE active;--> statement-breakpoint
CREATE INDEX "topic_moves_renamings" ON "topic_moves" USING btree ("realm_id","from_topic_id","id") WHERE up_to is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "topics_name" ON "topics" USING btree ("realm_id","conversation_id","name_key");--> statement-breakpoint
CREATE INDEX "user_topics_topic" ON "user_topics" USING btree ("realm_id","topic_id");--> statement-breakpoint
CREATE INDEX "message_uploads_upload" ON "message_uploads" USING btree ("realm_id","upload_id","message_id");--> statement-breakpoint
CREATE INDEX "scheduled_message_uploads_upload" ON "scheduled_message_uploads" USING btree ("realm_id","upload_id");--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_key" ON "uploads" USING btree ("realm_id","key");--> statement-breakpoint
CREATE INDEX "uploads_unlinked" ON "uploads" USING btree ("unlinked_since");--> statement-breakpoint
CREATE INDEX "user_group_members_user" ON "user_group_members" USING btree ("realm_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_groups_name" ON "user_groups" USING btree ("realm_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("realm_id","email_key");
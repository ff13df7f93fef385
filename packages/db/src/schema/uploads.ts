import { customType, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { messages } from './messages.ts';
import { realms } from './realms.ts';
import { scheduled_messages } from './scheduled-messages.ts';
import { users } from './users.ts';

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** Files that people sent, without what is in them. */
export const uploads = pgTable(
  'uploads',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    user_id: id().notNull(),
    /** The part of its address that nobody can guess. */
    key: text().notNull(),
    name: text().notNull(),
    /** What it is served as: found by looking into it. */
    content_type: text().notNull(),
    size: integer().notNull(),
    created_at: instant().notNull(),
    /** Since when nothing links it; null while something does. Written by the job that sweeps, not by those who send. */
    unlinked_since: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('uploads_key').on(t.realm_id, t.key),
    index('uploads_of').on(t.realm_id, t.user_id, t.id),
    // Whoever sweeps looks through all organizations at once.
    index('uploads_unlinked').on(t.unlinked_since),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);

/** What is in a file, piece by piece: PostgreSQL finds a part of one without reading what is before it. */
export const upload_pieces = pgTable(
  'upload_pieces',
  {
    realm_id: id().notNull(),
    upload_id: id().notNull(),
    /** Bytes before it. */
    starts_at: integer().notNull(),
    bytes: bytes().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.upload_id, t.starts_at] }),
    foreignKey({ columns: [t.realm_id, t.upload_id], foreignColumns: [uploads.realm_id, uploads.id] }).onDelete(
      'cascade',
    ),
  ],
);

/** Which messages link which files, as far as their authors could read these: whoever reads the message reads the file. */
export const message_uploads = pgTable(
  'message_uploads',
  {
    realm_id: id().notNull(),
    message_id: id().notNull(),
    upload_id: id().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.message_id, t.upload_id] }),
    index('message_uploads_upload').on(t.realm_id, t.upload_id, t.message_id),
    foreignKey({ columns: [t.realm_id, t.message_id], foreignColumns: [messages.realm_id, messages.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.realm_id, t.upload_id], foreignColumns: [uploads.realm_id, uploads.id] }),
  ],
);

/** The same of messages that are still to be sent; only their authors read those. */
export const scheduled_message_uploads = pgTable(
  'scheduled_message_uploads',
  {
    realm_id: id().notNull(),
    scheduled_message_id: id().notNull(),
    upload_id: id().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.scheduled_message_id, t.upload_id] }),
    index('scheduled_message_uploads_upload').on(t.realm_id, t.upload_id),
    foreignKey({
      columns: [t.realm_id, t.scheduled_message_id],
      foreignColumns: [scheduled_messages.realm_id, scheduled_messages.id],
    }).onDelete('cascade'),
    foreignKey({ columns: [t.realm_id, t.upload_id], foreignColumns: [uploads.realm_id, uploads.id] }).onDelete(
      'cascade',
    ),
  ],
);

/** Bytes that an organization's files take up: a row of its own, so that counting them up is one lock and no sum. */
export const upload_space = pgTable('upload_space', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  bytes: id().notNull(),
});

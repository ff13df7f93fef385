import { customType, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { messages } from './messages.ts';
import { realms } from './realms.ts';
import { scheduled_messages } from './scheduled-messages.ts';
import { users } from './users.ts';

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** Uploaded files, without their content. */
export const uploads = pgTable(
  'uploads',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    user_id: id().notNull(),
    /** The unguessable part of its URL. */
    key: text().notNull(),
    name: text().notNull(),
    /** The media type with which it is served, detected from its content. */
    content_type: text().notNull(),
    size: integer().notNull(),
    created_at: instant().notNull(),
    /** Since when nothing links it; null while something does. Updated by the sweeping job, not by senders. */
    unlinked_since: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('uploads_key').on(t.realm_id, t.key),
    index('uploads_of').on(t.realm_id, t.user_id, t.id),
    // The sweeping job looks through all organizations at once.
    index('uploads_unlinked').on(t.unlinked_since),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);

/** The content of files in pieces: PostgreSQL finds a piece without reading those before it. */
export const upload_pieces = pgTable(
  'upload_pieces',
  {
    realm_id: id().notNull(),
    upload_id: id().notNull(),
    /** The offset of the piece in bytes. */
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

/** Which messages link which files, if their authors could read these: readers of the message can read the file. */
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

/** The same for unsent messages; only their authors can read those. */
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

/** The total size of an organization's files: a separate row, so that an upload takes one lock instead of a sum. */
export const upload_space = pgTable('upload_space', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  bytes: id().notNull(),
});

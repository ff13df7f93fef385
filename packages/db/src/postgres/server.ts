/** Identifies the server of a connection and its database: another one may have another past. */
export const SERVER = `concat_ws(' ', pg_postmaster_start_time(), pg_is_in_recovery(),
  (select oid from pg_database where datname = current_database()))`;

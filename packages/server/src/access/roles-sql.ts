// The same as in roles.ts, for `users` of a query. Numbers are literals: the planner could not see parameters.

import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { ROLE } from './roles.ts';

const number = (role: keyof typeof ROLE): SQL => sql.raw(String(ROLE[role]));

export const isOwner = (user: SQL): SQL => sql`(${user}.role = ${number('owner')})`;
export const isAdministrator = (user: SQL): SQL => sql`(${user}.role <= ${number('administrator')})`;
export const isMember = (user: SQL): SQL => sql`(${user}.role = ${number('member')})`;
export const isGuest = (user: SQL): SQL => sql`(${user}.role = ${number('guest')})`;

import { expect } from 'vitest';
import type { TestUser } from './chat.ts';

/** The settings of a user, as a client receives them. */
export const settingsOf = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['user_settings'] })).user_settings;

/** The event that a user receives when one of their settings changes. */
export const toSettingsEvent = (property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'user_settings',
  op: 'update',
  property,
  value,
});

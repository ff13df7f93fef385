/** The chats of this test file; `mirror-law.ts` checks them after each test. */
export const openChats = new Set<{ holdMirrorLaw(): Promise<void> }>();

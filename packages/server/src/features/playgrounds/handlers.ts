import type { Handlers } from '../../core/handler.ts';
import { addPlayground, deletePlayground } from './actions.ts';

export const playgrounds = {
  addPlayground: (ctx, values) => addPlayground(ctx, values),
  deletePlayground: (ctx, { playground_id }) => deletePlayground(ctx, playground_id),
} satisfies Partial<Handlers>;

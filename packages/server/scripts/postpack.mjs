// After `npm pack`: the folder is again as it was.
import { unprepare } from './packages/unprepare.mjs';

unprepare();

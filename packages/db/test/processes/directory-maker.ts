// A process that creates an embedded database, to be killed meanwhile.
import { connectEmbedded } from '../../src/index.ts';

const database = await connectEmbedded({ dataDir: process.argv[2] as string });
await database.close();

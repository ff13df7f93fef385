// A process that makes an embedded database, to be killed meanwhile.
import { connectEmbedded } from '../src/index.ts';

const database = await connectEmbedded(process.argv[2]);
await database.close();

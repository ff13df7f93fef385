// Runs Astro without telemetry and without asking for news of itself, on every operating system alike.
process.env.ASTRO_TELEMETRY_DISABLED = '1';
process.env.ASTRO_DISABLE_UPDATE_CHECK = 'true';
await import(new URL('../astro.js', import.meta.resolve('astro')).href);

// Draws the values of property tests from PARLEY_TEST_SEED, which a failed run prints, instead of at random.
import fc from 'fast-check';

const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env;
if (seed) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed), ...(path && { path }) });

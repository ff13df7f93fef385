import { LONGEST } from '../prepared/longest.ts';

/** The maximum number of statements prepared on each connection. None is closed, so their number is limited. */
const LIMIT = 1_000;
/** The maximum characters of all of them: PostgreSQL's memory for each connection grows with the texts. */
const CHARACTERS = 2_000_000;

/**
 * Names for the statements that are prepared once per connection. Without a name, PostgreSQL parses and plans the long
 * statements of the server again each time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #characters = 0;
  #count = 0;

  /** Undefined for a statement that must not stay prepared. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const fits = this.#names.size < LIMIT && text.length <= LONGEST && this.#characters + text.length <= CHARACTERS;
    if (!fits) return undefined;
    this.#characters += text.length;
    return this.#rename(text);
  }

  /** Makes every connection prepare the statement again: a migration changed a table that it reads. */
  renew(text: string): void {
    if (this.#names.has(text)) this.#rename(text);
  }

  #rename(text: string): string {
    const name = `parley_${this.#count++}`;
    this.#names.set(text, name);
    return name;
  }
}

/**
 * Names that Parley guarantees (docs/behaviour/emoji.md#codes). They take precedence over those of the package that the
 * table is generated from.
 */
export const ownNames: Readonly<Record<string, string>> = {
  '+1': '1f44d',
  thumbs_up: '1f44d',
  '-1': '1f44e',
  thumbs_down: '1f44e',
  heart: '2764',
  smile: '1f642',
  tada: '1f389',
  octopus: '1f419',
  rocket: '1f680',
  car: '1f697',
  check: '2705',
  eyes: '1f440',
  calendar: '1f4c5',
  house: '1f3e0',
  palm_tree: '1f334',
  working_on_it: '1f6e0',
};

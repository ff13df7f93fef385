import type { ConsoleData } from '../../model/console.ts';
import { element } from './elements.ts';

/** Marks the operation or the fields that need a newer server. */
export async function markLevels(data: ConsoleData, container: HTMLElement, server: string): Promise<void> {
  const settings = await fetch(`${server}/api/v1/server_settings`).then(
    (response) => response.json() as Promise<{ service_feature_level?: number }>,
    () => ({ service_feature_level: undefined }),
  );
  const level = settings.service_feature_level;
  if (level === undefined) return;
  const words = (needed: number) => `needs level ${needed}, this server has ${level}`;
  if (data.level > level) container.prepend(element('p', { class: 'problem' }, `The operation ${words(data.level)}.`));
  for (const field of data.fields.filter((one) => one.level > level)) {
    container
      .querySelector(`[data-field="${field.name}"] .head`)
      ?.append(element('span', { class: 'needs' }, words(field.level)));
  }
}

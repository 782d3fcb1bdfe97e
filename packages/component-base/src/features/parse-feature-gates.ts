import { FeatureGates } from '@coxswain/api';
import { messageOf } from '@coxswain/apimachinery/errors';
import { readBoolean } from '../flags/flag-types.ts';

/**
 * Parses the values of `--feature-gates`: `Name=true,kube:Other=false`. The flag may be repeated. Throws an Error with
 * upstream's message.
 */
export function parseFeatureGates(texts: readonly string[]): FeatureGates {
  const changed: Record<string, boolean> = {};
  for (const pair of texts.join(',').split(',')) {
    const text = pair.trim();
    if (text === '') continue;
    const colon = text.indexOf(':');
    const component = colon === -1 ? 'kube' : text.slice(0, colon).trim();
    if (component !== 'kube') throw new Error(`component not registered: ${component}`);
    const setting = text.slice(colon + 1);
    const at = setting.indexOf('=');
    const name = (at === -1 ? setting : setting.slice(0, at)).trim();
    if (at === -1) throw new Error(`missing bool value for ${name}`);
    const value = setting.slice(at + 1).trim();
    try {
      changed[name] = readBoolean(value);
    } catch (cause) {
      const reason = messageOf(cause);
      throw new Error(`invalid value of ${name}=${value}, err: ${reason}`, { cause });
    }
  }
  return new FeatureGates(changed);
}

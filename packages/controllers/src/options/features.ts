import { parseFeatureGates } from '@coxswain/component-base/features';

/** Those that something here goes by. */
const honoured: readonly string[] = ['ComponentFlagz', 'ComponentStatusz'];

/** What `--feature-gates` turns on and off here. */
export interface Features {
  readonly ComponentFlagz: boolean;
  readonly ComponentStatusz: boolean;
}

/** Throws an Error, in upstream's words, for a gate that there is not, or one that is locked. */
export function featuresOf(texts: readonly string[]): Features {
  const gates = parseFeatureGates(texts);
  return { ComponentFlagz: gates.enabled('ComponentFlagz'), ComponentStatusz: gates.enabled('ComponentStatusz') };
}

/**
 * What is to be said about gates that make no difference here. They are no mistake: scripts give the same ones to all
 * components.
 */
export function featureNotices(texts: readonly string[]): string[] {
  const names = texts
    .join(',')
    .split(',')
    .map((setting) =>
      setting
        .replace(/^\s*(kube:)?/, '')
        .replace(/=.*$/, '')
        .trim(),
    )
    .filter((name) => name !== '' && !honoured.includes(name));
  return names.map((name) => `--feature-gates: ${name} makes no difference: controllers go by the defaults of v1.36`);
}

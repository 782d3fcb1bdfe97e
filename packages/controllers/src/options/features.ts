import { parseFeatureGates } from '@coxswain/component-base/features';

/** The feature gates that have an effect here. */
const honoured: readonly string[] = ['ComponentFlagz', 'ComponentStatusz'];

/** The values of the supported feature gates. */
export interface Features {
  readonly ComponentFlagz: boolean;
  readonly ComponentStatusz: boolean;
}

/** Parses the feature gates. Throws an Error with upstream's message for an unknown or locked gate. */
export function featuresOf(texts: readonly string[]): Features {
  const gates = parseFeatureGates(texts);
  return { ComponentFlagz: gates.enabled('ComponentFlagz'), ComponentStatusz: gates.enabled('ComponentStatusz') };
}

/** Returns notices about gates without an effect here. They are not errors, because scripts pass the same gates to all components. */
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
  return names.map((name) => `--feature-gates: ${name} makes no difference: controllers use the defaults of v1.36`);
}

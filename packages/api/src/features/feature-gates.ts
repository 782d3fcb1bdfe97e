import { featureGates } from '../generated/feature-gates.ts';

export type FeatureName = keyof typeof featureGates;

/** Which of upstream's features are on: its defaults for v1.36, changed by what `--feature-gates` says. Immutable. */
export class FeatureGates {
  static readonly defaults = new FeatureGates();
  readonly #changed: ReadonlyMap<string, boolean>;

  constructor(changed: Readonly<Record<string, boolean>> = {}) {
    for (const [name, enabled] of Object.entries(changed)) {
      const gate = Object.hasOwn(featureGates, name) ? featureGates[name as FeatureName] : undefined;
      if (!gate) throw new Error(`unrecognized feature gate: ${name}`);
      if (gate.stage === 'GA' && enabled !== gate.default) {
        throw new Error(`cannot set feature gate ${name} to ${enabled}, feature is locked to ${gate.default}`);
      }
    }
    this.#changed = new Map(Object.entries(changed));
  }

  enabled(name: FeatureName): boolean {
    return this.#changed.get(name) ?? featureGates[name].default;
  }
}

import { featureGates } from '../generated/feature-gates.ts';

export type FeatureName = keyof typeof featureGates;

/** The state of upstream's feature gates: the defaults of v1.36, overridden by `--feature-gates`. Immutable. */
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

  /** Returns the value set for the feature itself, else the one set for its stage (`AllAlpha`, `AllBeta`), else its default. */
  enabled(name: FeatureName): boolean {
    const { stage, default: byDefault } = featureGates[name];
    return this.#changed.get(name) ?? this.#ofStage(stage) ?? byDefault;
  }

  #ofStage(stage: string): boolean | undefined {
    if (this.#changed.size === 0) return undefined;
    return stage === 'ALPHA' || stage === 'BETA'
      ? this.#changed.get(stage === 'ALPHA' ? 'AllAlpha' : 'AllBeta')
      : undefined;
  }
}

import type { Node, NodeSelector, PersistentVolume } from '@coxswain/api/core/v1';
import type { CSINode } from '@coxswain/api/storage/v1';
import { Path } from '@coxswain/apimachinery/field';
import { migratedPlugin, nodeSelectorTest } from '@coxswain/component-helpers';
import { isMigrated, translatedAffinity, translatedVolume } from '../../volumes/migrated-volumes.ts';

type NodeTest = (node: Node) => boolean;

export const migratedPluginsAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';

const anywhere: NodeTest = () => true;

/** Evaluates which nodes can use a volume. Predicates are cached by volume object. */
export class VolumeAccess {
  readonly #csiNodeOf: (nodeName: string) => CSINode | undefined;
  readonly #tests = new WeakMap<PersistentVolume, NodeTest>();
  readonly #translated = new WeakMap<PersistentVolume, NodeTest>();

  constructor(csiNodeOf: (nodeName: string) => CSINode | undefined) {
    this.#csiNodeOf = csiNodeOf;
  }

  /** Returns a predicate by the volume's own node affinity. */
  test(volume: PersistentVolume): NodeTest {
    return remembered(this.#tests, volume, () => selectorTest(volume.spec?.nodeAffinity?.required));
  }

  /**
   * Whether the node can use the volume. On nodes where the volume's in-tree plug-in is migrated, the node affinity translated for the CSI
   * driver is used. Throws an Error when the volume cannot be translated.
   */
  has(node: Node, volume: PersistentVolume): boolean {
    const plugin = migratedPlugin(volume);
    if (!plugin || !isMigrated(plugin.name) || !this.#isMigratedOn(node, plugin.name)) return this.test(volume)(node);
    return remembered(this.#translated, volume, () => translatedTest(volume))(node);
  }

  #isMigratedOn({ metadata: { name = '' } }: Node, pluginName: string): boolean {
    const plugins = this.#csiNodeOf(name)?.metadata.annotations?.[migratedPluginsAnnotation];
    return plugins?.split(',').includes(pluginName) ?? false;
  }
}

const selectorTest = (selector: NodeSelector | undefined): NodeTest =>
  selector ? nodeSelectorTest(selector, Path.of(''), []) : anywhere;

function translatedTest(volume: PersistentVolume): NodeTest {
  try {
    translatedVolume(volume);
  } catch (cause) {
    throw new Error(`could not translate pv: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return selectorTest(translatedAffinity(volume));
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}

/** Layers of images: unpacked safely, kept once. */
export { chainIds } from './chain-id.ts';
export type { LayerRecord } from './layer-record.ts';
export { type LayerContent, LayerStore, type LayerStoreOptions } from './layer-store.ts';
export { overlayWhiteouts, userOverlayWhiteouts, type WhiteoutFormat } from './whiteout-format.ts';

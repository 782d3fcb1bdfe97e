/**
 * Bundles `cox` into a few files, after the build: Node needs longer to load a thousand small modules than the API
 * server needs to start.
 */
import { fileURLToPath } from 'node:url';
import { buildScripts } from '../../../scripts/build-scripts.ts';
import { warmUp } from './warm-up.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const { files } = await buildScripts({ input: { cox: at('../dist/index.js') }, directory: at('../dist/bundle') });
console.log(`bundled cox into ${files.length} files`);
await warmUp(at('../bin/cox.js'));

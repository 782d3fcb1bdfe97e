/**
 * Joins what `cox` is made of into a few files, after the build: a thousand small modules take Node longer to load than
 * the API server takes to start.
 */
import { fileURLToPath } from 'node:url';
import { buildScripts } from '../../../scripts/build-scripts.ts';
import { warmUp } from './warm-up.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const { files } = await buildScripts({ input: { cox: at('../dist/index.js') }, directory: at('../dist/bundle') });
console.log(`joined cox into ${files.length} files`);
await warmUp(at('../bin/cox.js'));

export { KeptScripts, type KeptScriptsOptions } from './kept-scripts.ts';

export { nodeStrategy, setNodeDefaults } from './strategy.ts';

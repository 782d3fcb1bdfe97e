export { setServiceDefaults } from './defaults.ts';
export { serviceStrategy } from './strategy.ts';

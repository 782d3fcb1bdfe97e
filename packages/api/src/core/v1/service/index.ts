export { setServiceDefaults } from './defaults.ts';
export { isExternallyAccessible, isHeadless, needsHealthCheck } from './service-facts.ts';
export { serviceStrategy } from './strategy.ts';

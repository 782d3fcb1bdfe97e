export { listInPages, type PagedList } from './list-in-pages.ts';
export { eachItem, type Listable, type PageOptions, pages } from './pages.ts';

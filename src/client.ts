// Entry `fanlight/client`: for pages that another server serves, in development. Runs in browsers.

export { reportBrowser } from './observe/browser/report-browser.ts'

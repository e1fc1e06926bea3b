// The report on what nobody caught, as a file that can be loaded at once while a process ends.

export { thrownReport } from '../app/thrown-report.ts'

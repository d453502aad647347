// Views that most readers open later, or never: fetched when the browser is idle, so that the first script stays small.
export { Conductor } from './conductor';
export { SharesView } from './shares';
export { WhatIf } from './whatif';

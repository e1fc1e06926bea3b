// The house's look on VitePress's own theme, without the fonts that it would bring.

import DefaultTheme from 'vitepress/theme-without-fonts'
import './style.css'

export default DefaultTheme

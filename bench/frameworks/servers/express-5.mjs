import express from 'express'
import { serve } from './express-routes.mjs'

serve(express)
